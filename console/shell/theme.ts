const key = "holdfast-theme";
const dark = "pf-v6-theme-dark";

/** Whether the page is dark: as the user has chosen here, or else as the browser is set. */
export function isDark(): boolean {
  const chosen = localStorage.getItem(key);
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Shows the page as it is to be. */
export function applyTheme(): void {
  document.documentElement.classList.toggle(dark, isDark());
}

export function chooseTheme(isDark: boolean): void {
  localStorage.setItem(key, isDark ? "dark" : "light");
  applyTheme();
}
