// Colours as the scripts reckon with them: channels from 0 to 255.

/** @typedef {[red: number, green: number, blue: number]} Color */

/** "#rrggbb" and "rgb(…)"; white for anything else. @param {string} text @returns {Color} */
export function channels(text) {
  const found = text.startsWith("#")
    ? [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16))
    : text.match(/[\d.]+/g)?.slice(0, 3).map(Number);
  return /** @type {Color} */ (found?.length === 3 ? found : [255, 255, 255]);
}

/** @param {Color} color */
export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

/** Relative luminance, as WCAG 2 defines it: 0 is black, 1 white. @param {Color} color */
export function luminance(color) {
  const [red, green, blue] = color.map((part) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Whether the page that an element is on is dark, by the background that Streamlit says it has.
 * @param {Element} element
 */
export function modeOf(element) {
  const background = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  return luminance(channels(background)) < 0.2 ? "dark" : "light";
}

/** 256 colours between evenly spaced stops. @param {string[]} stops @returns {Color[]} */
export function ramp(stops) {
  const colors = stops.map(channels);
  return Array.from({ length: 256 }, (_, index) => {
    const at = (index / 255) * (colors.length - 1);
    const low = Math.min(Math.floor(at), colors.length - 2);
    const mixed = colors[low].map((part, channel) => Math.round(part + (at - low) * (colors[low + 1][channel] - part)));
    return /** @type {Color} */ (mixed);
  });
}
