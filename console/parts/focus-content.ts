/** Where what had the focus is gone, the keyboard goes on in the content of the page. */
export function focusContent(): void {
  if (document.activeElement === document.body) document.getElementById("content")?.focus({ preventScroll: true });
}
