import { semantic, startWork, type WorkSpan } from '@phaseline/telemetry';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Writes a span for each request that concerns a job, in the trace of that job and with a link to the span of the caller; and for each
 * other request with a `traceparent`, in the trace of the caller. Requests that only read a job do not belong to its trace: a page that
 * refreshes itself would fill it.
 */
export function traceRequests(http: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, WorkSpan>();
  http.addHook('onRequest', async (request, reply) => {
    const { traceparent } = request.headers;
    const cause = typeof traceparent === 'string' ? traceparent : undefined;
    const span = startWork({ ...describe(request), kind: 'server', cause, hasChildren: true });
    spans.set(request, span);
    // `onResponse` does not run when the caller closes the connection.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span.set({ [semantic.httpStatus]: statusCode });
      if (statusCode >= 500) span.fail(String(statusCode));
      // Without a key, nobody can fill the queue of spans.
      if (statusCode !== 401) span.end();
    });
  });
  // Reading the body loses the context of earlier hooks.
  http.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
}

function describe({ method, routeOptions }: FastifyRequest) {
  const route = routeOptions.url ?? 'none';
  return { name: `${method} ${route}`, attributes: { [semantic.httpMethod]: method, [semantic.httpRoute]: route } };
}
