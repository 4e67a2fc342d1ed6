/**
 * Sends the irrelevant event over and over: `node load.ts PORT CONNECTIONS MILLISECONDS`. A process of its own, on
 * plain sockets, so that it costs less than any server it is sent to. Prints how many were answered and in how many
 * milliseconds.
 */
import { connect } from "node:net";
import { irrelevantEvent } from "./irrelevant-event.ts";

const [port = 0, connections = 1, duration = 1000] = process.argv.slice(2).map(Number);
const request = irrelevantEvent();
let answered = 0;

for (let index = 0; index < connections; index++) {
  const socket = connect(port, "127.0.0.1").setNoDelay().setEncoding("latin1");
  let received = "";
  socket.on("connect", () => socket.write(request));
  socket.on("data", (text) => {
    received += text;
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return;
    if (!received.startsWith("HTTP/1.1 204")) throw new Error(`204 was expected: ${received}`);
    received = received.slice(end + 4);
    answered++;
    socket.write(request);
  });
}

const begun = performance.now();
setTimeout(() => {
  process.stdout.write(JSON.stringify({ answered, milliseconds: performance.now() - begun }), () => process.exit());
}, duration);
