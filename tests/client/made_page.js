// A page that is made up, with its time: what is painted on it is listed, and nothing happens but by `elapse`.

let time = 0;
let due = []; // timers and frames
const later = (act, wait) => (due.push({ act, at: time + wait, id: due.length + 1 }), due.at(-1));
export const elapse = (milliseconds) => {
  for (const end = time + milliseconds; ; ) {
    const next = due.filter((one) => one.at <= end).sort((one, other) => one.at - other.at)[0];
    time = next?.at ?? end;
    if (!next) return;
    due = due.filter((one) => one !== next);
    next.act(time);
  }
};
export const painted = [];
export const part = (name) => ({
  name, dataset: {}, style: {}, children: [], attributes: {}, textContent: "", value: "0", clientWidth: 1000,
  setAttribute(key, value) { this.attributes[key] = value; },
  toggleAttribute(key, on) { this.attributes[key] = on; },
  querySelector(selector) { return (this.parts ??= {})[selector] ??= part(selector); },
  replaceChildren(...children) { this.children = children; },
  append(...children) { this.children.push(...children); },
  click() { this.onclick(); },
  closest: () => null,
  getContext: () => new Proxy({}, {
    get: (_, said) => said === "measureText" ? () => ({ width: 10 }) : (...given) => said === "fillText" && painted.push(given[0]),
    set: () => true,
  }),
});
Object.assign(globalThis, {
  window: globalThis,
  innerHeight: 900,
  devicePixelRatio: 1,
  matchMedia: () => ({ matches: false }),
  getComputedStyle: () => ({ getPropertyValue: () => "#ffffff", fontSize: "16px", fontFamily: "sans" }),
  ResizeObserver: class { observe() {} disconnect() {} },
  DOMParser: class { parseFromString = (text) => ({ body: { querySelectorAll: () => [], childNodes: [text] } }); },
  document: {
    documentElement: { hasAttribute: () => false }, hidden: false, createElement: part, addEventListener() {},
  },
  setTimeout: (act, wait) => later(act, wait),
  clearTimeout: (timer) => { due = due.filter((one) => one !== timer); },
  requestAnimationFrame: (act) => later(act, 16),
  cancelAnimationFrame: (frame) => { due = due.filter((one) => one !== frame); },
});

/** Forget what is due, and what has been painted. */
export const anew = () => {
  due = [];
  painted.length = 0;
};
