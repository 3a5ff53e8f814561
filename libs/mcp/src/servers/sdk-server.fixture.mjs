// MCP server for specs, built with the official library. Mode `stdio`, or `http` (prints its port, requires the token in TOKEN).
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
let count = 0;

function build() {
  const server = new McpServer({ name: 'spec', version: '1.0.0' });
  const text = (words) => ({ content: [{ type: 'text', text: words }] });
  const read = { annotations: { readOnlyHint: true } };
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }), ...read },
    async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    'put',
    { description: 'Puts.', inputSchema: z.object({ key: z.string() }), annotations: { idempotentHint: true } },
    async ({ key }) => text(`put ${key}`),
  );
  server.registerTool('count', { description: 'Counts.', inputSchema: z.object({}) }, async () =>
    text(String((count += 1))),
  );
  server.registerTool('env', { inputSchema: z.object({}), ...read }, async () =>
    text(`${Object.keys(process.env).sort().join(',')} token=${process.env.TOKEN}`),
  );
  server.registerTool('picture', { inputSchema: z.object({}), ...read }, async () => ({
    content: [
      { type: 'text', text: 'A pixel:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: { uri: 'mem://a', mimeType: 'application/pdf', blob: Buffer.from('%PDF').toString('base64') },
      },
      { type: 'resource_link', name: 'more', uri: 'https://example.org/more' },
    ],
  }));
  server.registerTool('data', { inputSchema: z.object({}), ...read }, async () => ({
    content: [],
    structuredContent: { a: [1] },
  }));
  server.registerTool('fail', { inputSchema: z.object({}), ...read }, async () => ({
    ...text(`no luck with ${process.env.TOKEN}`),
    isError: true,
  }));
  server.registerTool('long', { inputSchema: z.object({}), ...read }, async () => text('word '.repeat(10_000)));
  server.registerTool('slow', { inputSchema: z.object({}), ...read }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    return text('late');
  });
  server.registerTool('leave', { inputSchema: z.object({}), ...read }, async () => {
    setTimeout(() => process.exit(0), 50);
    return text(String(process.pid));
  });
  server.registerTool('crash', { inputSchema: z.object({}), ...read }, async () => {
    console.error(`out of luck with ${process.env.TOKEN}`);
    setTimeout(() => process.exit(3), 20);
    return new Promise(() => undefined);
  });
  return server;
}

if (process.argv[2] === 'stdio') {
  await build().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    if (process.env.TOKEN && request.headers.authorization !== `Bearer ${process.env.TOKEN}`)
      return response.writeHead(401).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (!transport) {
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
      await build().connect(transport);
    }
    const answer = await transport.handleRequest(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method,
        headers: Object.entries(request.headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  http.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => console.log(http.address().port));
}
