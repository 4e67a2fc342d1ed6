import { notifyManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { whenSignedOut } from "./api/request.ts";
import { signedOut } from "./api/session.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
// Before a person can press anything again: a dialog whose change is under way cannot be confirmed twice, or left.
notifyManager.setScheduler(queueMicrotask);
const cache = new QueryClient({
  // What is shown is kept up to date by watches; whether the browser thinks that it is online says little.
  defaultOptions: {
    queries: { refetchOnWindowFocus: false, networkMode: "always", gcTime: 60_000 },
    mutations: { networkMode: "always" },
  },
});
whenSignedOut(() => signedOut(cache));
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root.");
createRoot(root).render(
  <QueryClientProvider client={cache}>
    <App />
  </QueryClientProvider>,
);
