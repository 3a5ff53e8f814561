import { get } from 'node:http';

/** What a service's readiness endpoint said. */
export type ProbeResult =
  | { readonly ready: true }
  | {
      readonly ready: false;
      /** For people. */
      readonly why: string;
      /** Changes whenever work that the service has to finish first has moved; undefined when it reports none. */
      readonly progress?: string;
    };

/** Ready when the process `pid` itself answered 200. Somebody else's answer on that port does not count. */
export function probe(url: string, pid: number, timeoutMs = 2_000): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const failed = (why: string): void => resolve({ ready: false, why });
    const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.once('error', (error) => failed(error.message));
      response.once('end', () => resolve(judge(response.statusCode ?? 0, body, pid)));
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.once('error', (error) => failed(error.message));
  });
}

function judge(status: number, body: string, pid: number): ProbeResult {
  const said = parse(body);
  if (said.pid !== undefined && said.pid !== pid)
    return { ready: false, why: `another process (${String(said.pid)}) answers on its port` };
  if (status === 200) return { ready: true };
  const why = typeof said.message === 'string' ? said.message : `status ${status}`;
  const progress = progressOf(said.checks);
  return { ready: false, why, ...(progress === undefined ? {} : { progress }) };
}

/** The `progress` of all checks of a readiness report, as a text to compare. */
function progressOf(checks: unknown): string | undefined {
  const moving = Object.entries(Object(checks) as Record<string, unknown>).flatMap(([name, check]) => {
    const { progress } = Object(check) as { progress?: unknown };
    return progress === undefined ? [] : [[name, progress]];
  });
  return moving.length === 0 ? undefined : JSON.stringify(moving);
}

function parse(body: string): { pid?: unknown; message?: unknown; checks?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
