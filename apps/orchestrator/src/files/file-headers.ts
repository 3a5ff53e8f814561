/**
 * Returns response headers that prevent every browser from running a file, because agents wrote it and it is not to be
 * trusted. `content` may be just the start of the file.
 */
export function buildFileHeaders(path: string, hash: string, content: Uint8Array): Readonly<Record<string, string>> {
  const name = path.split('/').at(-1) ?? path;
  return {
    'content-type': isText(content) ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeFileName(name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    // The content of a path changes, so caches must revalidate it by its hash.
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: etagOf(hash),
  };
}

export function etagOf(hash: string): string {
  return `"${hash}"`;
}

/** Returns whether a caller that sent this `If-None-Match` already has the content. */
export function matchesEtag(ifNoneMatch: string | undefined, hash: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etagOf(hash));
}

/** Returns whether the content is UTF-8 without NUL; the last character may be incomplete. */
function isText(content: Uint8Array): boolean {
  if (content.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Encodes a file name for RFC 8187, which allows fewer characters than encodeURIComponent leaves. */
function encodeFileName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
