/**
 * How a file is to be handed out so that no browser ever runs it: what an agent wrote is not to be trusted. `content` may be
 * the beginning of it.
 */
export function fileHeaders(path: string, hash: string, content: Uint8Array): Readonly<Record<string, string>> {
  const name = path.split('/').at(-1) ?? path;
  return {
    'content-type': isText(content) ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encoded(name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    // The content of a path changes, so it is asked for each time and answered by its hash.
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: etagOf(hash),
  };
}

export function etagOf(hash: string): string {
  return `"${hash}"`;
}

/** Whether a caller that sent this `If-None-Match` has the content already. */
export function hasAlready(ifNoneMatch: string | undefined, hash: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etagOf(hash));
}

/** Text is what is UTF-8 throughout and holds no NUL; the last character may be cut. */
function isText(content: Uint8Array): boolean {
  if (content.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** RFC 8187 allows fewer characters than encodeURIComponent leaves. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
