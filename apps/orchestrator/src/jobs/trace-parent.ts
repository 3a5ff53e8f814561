const TRACE_PARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the W3C trace context of a request, if it has a valid one. */
export function traceParentOf(header: string | readonly string[] | undefined): { readonly traceparent?: string } {
  return typeof header === 'string' && TRACE_PARENT.test(header) ? { traceparent: header } : {};
}
