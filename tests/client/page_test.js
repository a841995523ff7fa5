// page.js on a page that is made up: what the address names is read first, whatever it is.

import { deepEqual } from "node:assert/strict";

let look = () => {};
const asked = [];
Object.assign(globalThis, {
  window: globalThis,
  parent: null,
  history: { pushState() {} },
  matchMedia: () => ({ matches: false }),
  HTMLInputElement: class { get value() { return ""; } },
  ResizeObserver: class {
    constructor(seen) { look = seen; }
    observe() {}
  },
  document: {
    addEventListener() {},
    querySelector: () => ({}),
    querySelectorAll: () => [],
    getElementById: (id) => void asked.push(id),
  },
});
globalThis.addEventListener = () => {};
performance.getEntriesByType = () => [{ name: "http://127.0.0.1/masks" }];

for (const [hash, named] of [["#%", "%"], ["#(", "("], ["#%28", "("], ['#"]', '"]'], ["#fill", "fill"], ["#%E5%A1%AB", "填"]])
  Deno.test(`${hash} names a section, or none, and breaks nothing`, async () => {
    Object.defineProperty(globalThis, "location", { value: { hash }, configurable: true });
    delete globalThis.glassformerPage;
    asked.length = 0;
    await import(`../../assets/page.js?${encodeURIComponent(hash)}`);
    look();
    deepEqual(asked, [named]);
  });
