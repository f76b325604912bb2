// Browsers start no workers for pages that are opened from a folder. There, the search runs the script of its worker in a
// hidden frame instead. The theme looks for the name IFrameWorker, and waits for what importScripts returns.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];  // messages from before the script was there
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
      const load = (source) => new Promise((done, failed) => {
        const script = frame.contentDocument.createElement("script");
        script.onload = done;
        script.onerror = failed;
        script.src = source;
        frame.contentDocument.body.appendChild(script);
      });
      inside.importScripts = async (...sources) => { for (const source of sources) await load(source); };
      load(url).then(() => {
        this.deliver = (data) => inside.dispatchEvent(new MessageEvent("message", {data}));
        this.waiting.forEach(this.deliver);
      });
    }
    postMessage(data) {
      if (this.deliver) this.deliver(data);
      else this.waiting.push(data);
    }
    set onmessage(listener) { this.addEventListener("message", listener); }
    terminate() { this.deliver = () => {}; }
  };
  window.Worker = window.IFrameWorker;
}
