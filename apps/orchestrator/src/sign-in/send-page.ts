import type { FastifyReply } from 'fastify';

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Sets the headers of a page, and returns the page. */
export function sendPage(reply: FastifyReply, page: string): string {
  void reply.headers({ ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' });
  return page;
}
