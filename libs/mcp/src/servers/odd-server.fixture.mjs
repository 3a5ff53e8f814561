// MCP server for specs whose tools and results are legal but unusual; no server library would produce them.
import { createInterface } from 'node:readline';

const tools = [
  { name: 'no schema' },
  { name: 'true', inputSchema: true },
  { name: 'string', inputSchema: { type: 'string' } },
  { name: 'either', inputSchema: { anyOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { type: 'object', properties: { b: {} } }] } },
  { name: 'ref', inputSchema: { $ref: '#/$defs/input', $defs: { input: { type: 'object', properties: { x: { $ref: '#/$defs/x' } }, required: ['x'] }, x: { type: 'integer' } } } },
  { name: 'größe/ä.b', description: 7, inputSchema: { type: 'object' }, annotations: 'none' },
  { name: 'a'.repeat(100), inputSchema: { type: 'object' } },
  { inputSchema: { type: 'object' } },
  'no tool at all',
]; // prettier-ignore
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

console.log('This line is no message.');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '0' } } });
  } else if (method === 'tools/list') {
    // Lists the tools on two pages.
    const result = params?.cursor ? { tools: tools.slice(4) } : { tools: tools.slice(0, 4), nextCursor: 'more' };
    send({ id, result });
  } else if (method === 'tools/call' && params.name === 'true') {
    send({
      id,
      result: { content: [{ type: 'hologram' }, { type: 'resource', resource: {} }], structuredContent: null },
    });
  } else if (method === 'tools/call') {
    send({ id, result: { content: [{ type: 'text', text: `${params.name} ${JSON.stringify(params.arguments)}` }] } });
  } else send({ id, error: { code: -32601, message: 'not known' } });
});
