// On paper nothing can be opened.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(fold => { fold.open = true; }));
