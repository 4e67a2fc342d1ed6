// Plays recordings line by line. Without a script, or before a reader asks for it, the whole text is there. It runs in a
// browser, as a plain script, because browsers refuse modules that come from files.
(() => {
  /** Seconds: nothing is to be seen in a longer pause. */
  const longestPause = 1;
  for (const code of document.querySelectorAll("code.language-recording")) {
    const text = code.textContent;
    const lines = text.split("\n");
    const button = document.createElement("button");
    button.type = "button";
    let timer;
    const show = () => {
      clearTimeout(timer);
      timer = undefined;
      code.textContent = text;
      button.textContent = "Play";
    };
    const play = (count) => {
      code.textContent = lines.slice(0, count).join("\n");
      code.parentElement.scrollTop = code.parentElement.scrollHeight;
      if (count >= lines.length) return show();
      // A line that goes on with the one before has no time of its own.
      const at = (line) => Number.parseFloat(lines[line]?.slice(0, 9));
      const pause = at(count) - at(count - 1);
      timer = setTimeout(play, 1000 * (pause > 0 ? Math.min(pause, longestPause) : 0), count + 1);
    };
    button.addEventListener("click", () => {
      if (timer !== undefined) return show();
      button.textContent = "Stop, and show all";
      play(1);
    });
    show();
    code.parentElement.classList.add("recording");
    code.parentElement.before(button);
  }
})();
