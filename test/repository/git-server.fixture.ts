import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface OpenedPullRequest {
  readonly html_url: string;
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export interface GitServer {
  readonly url: string;
  /** Base URL of its API for pull requests. */
  readonly api: string;
  readonly pullRequests: readonly OpenedPullRequest[];
  /** Number of requests with or without a token. */
  requestCount(): number;
  /** Called when a push begins to send its objects. */
  onPush: (() => void) | undefined;
  close(): Promise<void>;
}

const BACKEND = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');

/** Starts a server of the repositories in a folder, with an API for pull requests as GitHub has it. Everything needs the token. */
export async function startGitServer(folder: string, token: string): Promise<GitServer> {
  const pullRequests: OpenedPullRequest[] = [];
  let requestCount = 0;
  const server = createServer((request, response) => {
    requestCount += 1;
    if (request.method === 'POST' && request.url!.endsWith('/git-receive-pack')) result.onPush?.();
    const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    if (![basic, `Bearer ${token}`].includes(request.headers.authorization ?? '')) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end('a token is needed\n');
      return;
    }
    // As of a server that quotes the request in its reason.
    if (request.url!.startsWith('/echo.git/')) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end(`not allowed with ${token}\n`);
      return;
    }
    if (request.url!.startsWith('/api/v3/')) void answerApi(request, response, pullRequests);
    else runBackend(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const result: GitServer = {
    url,
    api: `${url}/api/v3`,
    pullRequests,
    requestCount: () => requestCount,
    onPush: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return result;
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  pullRequests: OpenedPullRequest[],
): Promise<void> {
  const url = new URL(request.url!, 'http://x');
  const answer = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  if (request.method === 'GET') {
    const head = url.searchParams.get('head')?.split(':')[1];
    return answer(
      200,
      pullRequests.filter((one) => one.head === head),
    );
  }
  const wanted = JSON.parse(await text(request)) as Omit<OpenedPullRequest, 'html_url'>;
  const created = { ...wanted, html_url: `http://127.0.0.1/owner/name/pull/${pullRequests.length + 1}` };
  pullRequests.push(created);
  answer(201, created);
}

function runBackend(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url!, 'http://x');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn(BACKEND, [], {
    env: {
      ...{ PATH: process.env['PATH'], GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'spec' },
      ...{ REQUEST_METHOD: request.method, PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1) },
      ...{ CONTENT_TYPE: header('content-type'), CONTENT_LENGTH: header('content-length') },
      ...{ HTTP_CONTENT_ENCODING: header('content-encoding'), GIT_PROTOCOL: header('git-protocol') },
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.once('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    let status = 200;
    for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status).end(output.subarray(end + 4));
  });
}
