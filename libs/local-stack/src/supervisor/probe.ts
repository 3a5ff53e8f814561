import { get } from 'node:http';

/** Result of a readiness probe. */
export type ProbeResult =
  | { readonly ready: true }
  | {
      readonly ready: false;
      /** Explanation for people. */
      readonly why: string;
      /** Text that changes while the service makes progress on work that it must finish first; undefined if it reports none. */
      readonly progress?: string;
    };

const TIMEOUT_MS = 2_000;

/** Sends a readiness probe. The service is ready if the process `pid` itself responds with 200; responses of other processes do not count. */
export function probe(url: string, pid: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const fail = (why: string): void => resolve({ ready: false, why });
    const request = get(url, { agent: false, timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.once('error', (error) => fail(error.message));
      response.once('end', () => resolve(evaluate(response.statusCode ?? 0, body, pid)));
    });
    request.once('timeout', () => request.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
    request.once('error', (error) => fail(error.message));
  });
}

function evaluate(status: number, body: string, pid: number): ProbeResult {
  const report = parseReport(body);
  if (report.pid !== undefined && report.pid !== pid)
    return { ready: false, why: `another process (${String(report.pid)}) responds on its port` };
  if (status === 200) return { ready: true };
  const why = typeof report.message === 'string' ? report.message : `status ${status}`;
  const progress = collectProgress(report.checks);
  return { ready: false, why, ...(progress === undefined ? {} : { progress }) };
}

/** Collects the `progress` of all checks of a readiness report as a comparable text. */
function collectProgress(checks: unknown): string | undefined {
  const entries = Object.entries(Object(checks) as Record<string, unknown>).flatMap(([name, check]) => {
    const { progress } = Object(check) as { progress?: unknown };
    return progress === undefined ? [] : [[name, progress]];
  });
  return entries.length === 0 ? undefined : JSON.stringify(entries);
}

function parseReport(body: string): { pid?: unknown; message?: unknown; checks?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
