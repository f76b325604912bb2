// What Tilewire asks of an MPI library, as a plain C table.
//
// The binary interfaces of Open MPI and MPICH differ, so library.cpp is compiled once for each, into
// libtilewire-openmpi.so and libtilewire-mpich.so. One of them is loaded under a launcher that names the MPI
// it belongs to; the rest of Tilewire only knows this table.
//
// Every function returns 0, or an error code of MPI that `explain` puts into words.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { tilewire_mpi_version = 1 };

// An operation that has been started; holds an MPI_Request.
struct TilewireMpiRequest {
  uint64_t word;
};

// What a test of an operation says. `from` and `bytes` are those of a received message.
struct TilewireMpiStatus {
  int32_t done;
  int32_t from;
  int64_t bytes;
};

struct TilewireMpiPlace {
  int32_t rank;
  int32_t size;
  int32_t found;       // MPI was initialised by the program, which also finalises it
  int32_t any_thread;  // any thread may call MPI at any time: MPI_THREAD_MULTIPLE
};

struct TilewireMpi {
  uint32_t version;
  // For the owner of the table; handed to every function with it.
  void* data;

  // MPI has been finalised: no other function may be called.
  int32_t (*is_over)(TilewireMpi*);
  // Initialises MPI unless that has been done, and duplicates MPI_COMM_WORLD: all processes call it.
  int32_t (*join)(TilewireMpi*, TilewireMpiPlace*);
  // From rank 0 to all others; all processes call it.
  int32_t (*broadcast)(TilewireMpi*, void* bytes, int32_t count);
  // Called first when MPI is finalised, by whichever party does that.
  int32_t (*at_end)(TilewireMpi*, void (*call)(void*), void* argument);
  // The bytes have to stay where they are until the operation is done.
  int32_t (*send)(TilewireMpi*, const void* bytes, int32_t count, int32_t to, int32_t tag,
                  TilewireMpiRequest*);
  // From any process where `from` is -1.
  int32_t (*receive)(TilewireMpi*, void* bytes, int32_t count, int32_t from, int32_t tag,
                     TilewireMpiRequest*);
  // Moves messages along. A request that is done is freed.
  int32_t (*test)(TilewireMpi*, TilewireMpiRequest*, TilewireMpiStatus*);
  // Undoes a receive that has not begun. It is still to be tested.
  int32_t (*cancel)(TilewireMpi*, TilewireMpiRequest*);
  // Returns when all processes have called it.
  int32_t (*meet)(TilewireMpi*);
  int32_t (*finalize)(TilewireMpi*);
  // Writes at most `size` bytes, the last one zero.
  void (*explain)(TilewireMpi*, int32_t error, char* text, int32_t size);
};

// Of both libraries. The table lives as long as the process.
typedef TilewireMpi* (*TilewireMpiOpen)(void);
#define TILEWIRE_MPI_OPEN "tilewire_mpi_open"

#ifdef __cplusplus
}
#endif
