// The table of interface.h over the MPI whose mpi.h this is compiled with. Links nothing: the MPI library is
// in the process before this one is loaded.
#include <mpi.h>
#include <unistd.h>

#include <cstring>

#include "mpi/interface.h"

namespace {

static_assert(sizeof(MPI_Request) <= sizeof(TilewireMpiRequest));

MPI_Comm world = MPI_COMM_NULL;  // ours

MPI_Request load(const TilewireMpiRequest* request) {
  MPI_Request value;
  std::memcpy(&value, &request->word, sizeof value);
  return value;
}

void store(TilewireMpiRequest* request, MPI_Request value) {
  request->word = 0;
  std::memcpy(&request->word, &value, sizeof value);
}

// Others may come late; until they do the core is for whoever needs it.
int32_t wait_asleep(MPI_Request request) {
  for (int done = 0;;) {
    if (const int error = MPI_Test(&request, &done, MPI_STATUS_IGNORE)) return error;
    if (done) return 0;
    usleep(500);
  }
}

int32_t is_over(TilewireMpi*) {
  int over = 0;
  MPI_Finalized(&over);
  return over;
}

int32_t join(TilewireMpi*, TilewireMpiPlace* place) {
  int found = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&found);
  // One thread at a time is enough for us. Others in this process may call MPI, too, and know nothing of
  // that.
  if (!found) {
    if (const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level)) return error;
  }
  MPI_Query_thread(&level);
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = MPI_Comm_idup(MPI_COMM_WORLD, &world, &request)) return error;
  if (const int error = wait_asleep(request)) return error;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  place->found = found;
  place->any_thread = level >= MPI_THREAD_MULTIPLE || (!found && level >= MPI_THREAD_SERIALIZED);
  MPI_Comm_rank(world, &place->rank);
  MPI_Comm_size(world, &place->size);
  return 0;
}

int32_t broadcast(TilewireMpi*, void* bytes, int32_t count) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = MPI_Ibcast(bytes, count, MPI_BYTE, 0, world, &request)) return error;
  return wait_asleep(request);
}

struct End {
  void (*call)(void*);
  void* argument;
};
End end;

int on_delete(MPI_Comm, int, void*, void*) {
  end.call(end.argument);
  return MPI_SUCCESS;
}

// MPI_Finalize begins with the attributes of MPI_COMM_SELF.
int32_t at_end(TilewireMpi*, void (*call)(void*), void* argument) {
  end = {call, argument};
  int key = MPI_KEYVAL_INVALID;
  if (const int error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, nullptr)) return error;
  return MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

int32_t send(TilewireMpi*, const void* bytes, int32_t count, int32_t to, int32_t tag,
             TilewireMpiRequest* request) {
  MPI_Request own = MPI_REQUEST_NULL;
  const int error = MPI_Isend(bytes, count, MPI_BYTE, to, tag, world, &own);
  store(request, own);
  return error;
}

int32_t receive(TilewireMpi*, void* bytes, int32_t count, int32_t from, int32_t tag,
                TilewireMpiRequest* request) {
  MPI_Request own = MPI_REQUEST_NULL;
  const int error = MPI_Irecv(bytes, count, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, world, &own);
  store(request, own);
  return error;
}

int32_t test(TilewireMpi*, TilewireMpiRequest* request, TilewireMpiStatus* result) {
  MPI_Request own = load(request);
  MPI_Status status{};
  status.MPI_SOURCE = -1;
  int done = 0;
  const int error = MPI_Test(&own, &done, &status);
  store(request, own);
  result->done = done;
  result->from = status.MPI_SOURCE;
  if (error != MPI_SUCCESS || !done) return error;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  result->bytes = count;
  return 0;
}

int32_t cancel(TilewireMpi*, TilewireMpiRequest* request) {
  MPI_Request own = load(request);
  return own == MPI_REQUEST_NULL ? 0 : MPI_Cancel(&own);
}

int32_t meet(TilewireMpi*) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = MPI_Ibarrier(world, &request)) return error;
  return wait_asleep(request);
}

int32_t finalize(TilewireMpi*) {
  return MPI_Finalize();
}

void explain(TilewireMpi*, int32_t error, char* text, int32_t size) {
  char whole[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, whole, &length);
  if (size <= 0) return;
  std::strncpy(text, whole, static_cast<size_t>(size) - 1);
  text[size - 1] = 0;
}

TilewireMpi table{.version = tilewire_mpi_version,
                  .data = nullptr,
                  .is_over = is_over,
                  .join = join,
                  .broadcast = broadcast,
                  .at_end = at_end,
                  .send = send,
                  .receive = receive,
                  .test = test,
                  .cancel = cancel,
                  .meet = meet,
                  .finalize = finalize,
                  .explain = explain};

}  // namespace

extern "C" __attribute__((visibility("default"))) TilewireMpi* tilewire_mpi_open() {
  return &table;
}
