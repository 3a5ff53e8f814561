// MCP server for specs with behaviour that is difficult for clients: it hangs, exits, has too many tools, and lists them slowly.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , tools = '3', listMs = '0', notes] = process.argv;
const named = ['wrap_text', 'wrap_list', 'wrap_bare', 'hang', 'die', 'never', 'nonsense'];
const list = [...named, ...Array.from({ length: Number(tools) }, (_, index) => `tool_${index}`)].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { count: { type: 'integer' } } },
  ...(name.startsWith('wrap') ? { annotations: { readOnlyHint: true } } : {}),
}));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (...texts) => texts.map((one) => ({ type: 'text', text: one }));
const results = {
  wrap_text: { content: text('[1,2]'), structuredContent: { result: [1, 2] } },
  wrap_list: { content: text('{"a":1}', '{"a":2}'), structuredContent: { result: [{ a: 1 }, { a: 2 }] } },
  wrap_bare: { content: text('hello'), structuredContent: { result: 'hello' } },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'hard', version: '0' } } });
  } else if (method === 'tools/list') setTimeout(() => send({ id, result: { tools: list } }), Number(listMs));
  else if (method === 'ping') send({ id, result: {} });
  else if (method === 'tools/call') {
    // Records each call in a file, so that a spec can see it even if the server does not respond.
    if (notes) appendFileSync(notes, `${params.name} ${JSON.stringify(params.arguments)}\n`);
    if (params.name === 'hang') for (;;);
    if (params.name === 'die') process.exit(3);
    if (params.name === 'never') return;
    if (params.arguments?.count > 1_000) {
      const longLine = 'a'.repeat(params.arguments.count);
      return send({ id, result: { content: text(longLine) } });
    }
    if (params.name === 'nonsense') return send({ id, result: { content: 'no list' } });
    send({
      id,
      result: results[params.name] ?? { content: text(`${params.name} ${JSON.stringify(params.arguments)}`) },
    });
  }
});
