// The search of the site: shows the sections that fit what was typed. It runs in a browser, as a plain script, because
// browsers refuse modules that come from files.
(() => {
  const field = document.querySelector("#search");
  const list = document.querySelector("#found");
  let index;
  const find = () => {
    // Read when it is first needed: most pages are read without a search.
    index ??= window.MiniSearch.loadJSON(window.holdfastSearch, {
      idField: "id",
      fields: ["heading", "title", "text"],
      storeFields: ["url", "title", "heading"],
    });
    const found = field.value
      ? index.search(field.value, { prefix: true, fuzzy: 0.15, boost: { heading: 4, title: 3 }, combineWith: "AND" })
      : [];
    list.replaceChildren(
      ...found.slice(0, 12).map(({ url, title, heading }) => {
        const link = document.createElement("a");
        link.href = document.body.dataset.root + url;
        link.textContent = heading === title ? title : `${title}: ${heading}`;
        const item = document.createElement("li");
        item.append(link);
        return item;
      }),
    );
    if (field.value && found.length === 0) {
      const item = document.createElement("li");
      item.textContent = "Nothing was found.";
      list.append(item);
    }
    list.hidden = !field.value;
  };
  field.addEventListener("input", find);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") list.hidden = true;
  });
  list.addEventListener("click", () => {
    list.hidden = true;
  });
})();
