// The measure of every function: the least that can be done with an event in Node. CommonJS, because importing
// node:http as an ES module takes half as long again (it loads all of undici), and the comparison would be too easy.
const { createServer } = require("node:http");

createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method === "POST") JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.statusCode = 204;
    response.end();
  });
}).listen(Number(process.env.PORT));
