// Gives a page its stylesheet and its program, files that the browser keeps, and then lets the program hear what this page
// `tells` it. Nothing is shown until the stylesheet is there, for three seconds at most.

/** @param {string} sheet @param {string} program @param {() => void} tells */
export const load = (sheet, program, tells) => {
  import(program).then(tells);
  const before = [...document.querySelectorAll("link.glassformer")];
  if (before.some((link) => link.getAttribute("href") === sheet)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", className: "glassformer" });
  link.setAttribute("href", sheet);
  const { style } = document.documentElement;
  const show = () => style.removeProperty("visibility");
  style.visibility = "hidden";
  setTimeout(show, 3000);
  link.addEventListener("error", show);
  link.addEventListener("load", () => {
    for (const old of before) old.remove(); // of an earlier version of the app
    show();
  });
  document.body.append(link); // after Streamlit's own styles
};
