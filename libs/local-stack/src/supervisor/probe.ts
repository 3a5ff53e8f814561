import { get } from 'node:http';

/** Undefined when the process `pid` itself answered 200; otherwise why not. Somebody else's answer on that port does not count. */
export function probe(url: string, pid: number, timeoutMs = 2_000): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.once('error', (error) => resolve(error.message));
      response.once('end', () => resolve(judge(response.statusCode ?? 0, body, pid)));
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.once('error', (error) => resolve(error.message));
  });
}

function judge(status: number, body: string, pid: number): string | undefined {
  const said = parse(body);
  if (said.pid !== undefined && said.pid !== pid) return `another process (${String(said.pid)}) answers on its port`;
  if (status === 200) return undefined;
  return typeof said.message === 'string' ? said.message : `status ${status}`;
}

function parse(body: string): { pid?: unknown; message?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
