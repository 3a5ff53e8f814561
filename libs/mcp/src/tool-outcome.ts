import { z } from 'zod';
import type { ToolOutcome } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import type { FileChange } from '@phaseline/workspace';

const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 20;

const block = z.looseObject({ type: z.string() });
const resource = z.looseObject({
  uri: z.string().default(''),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const resultSchema = z.looseObject({
  content: z.array(block).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg',
  'audio/wav': 'wav', 'audio/mpeg': 'mp3', 'application/pdf': 'pdf', 'application/json': 'json', 'text/html': 'html',
}; // prettier-ignore

/**
 * Converts a server's result into a tool outcome: texts for the model, and everything else as files under `folder`, each
 * with a note. Throws ToolError `mcp_tool_failed` with the server's text if the server reports an error.
 */
export function toToolOutcome(answer: unknown, folder: string, clean: (text: string) => string): ToolOutcome {
  const parsed = resultSchema.safeParse(answer);
  if (!parsed.success)
    throw new ToolError('mcp_invalid_result', 'The response of the MCP server is not a valid tool result.', {
      outcomeUnknown: true,
    });
  const { content, structuredContent, isError } = parsed.data;
  const files: FileChange[] = [];
  const save = (bytes: Uint8Array, mimeType = 'application/octet-stream'): string => {
    if (bytes.byteLength > MAX_FILE_BYTES || files.length >= MAX_FILES)
      return `[${mimeType}, ${bytes.byteLength} bytes, not stored: too large]`;
    const path = `${folder}-${files.length + 1}.${EXTENSIONS[mimeType] ?? (mimeType.startsWith('text/') ? 'txt' : 'bin')}`;
    files.push({ path, content: bytes });
    return `[${mimeType}, ${bytes.byteLength} bytes, saved as ${path}]`;
  };
  const pieces = content.map((part): string => {
    const { text, data, mimeType, uri, name } = part as Record<string, unknown>;
    const mime = typeof mimeType === 'string' ? mimeType : undefined;
    if (part.type === 'text') return String(text ?? '');
    if ((part.type === 'image' || part.type === 'audio') && typeof data === 'string')
      return save(Buffer.from(data, 'base64'), mime);
    if (part.type === 'resource_link') return `[link: ${String(name ?? '')} ${String(uri ?? '')}]`;
    if (part.type === 'resource') {
      const found = resource.safeParse(part['resource']);
      if (found.success && found.data.text !== undefined) return `[${found.data.uri}]\n${found.data.text}`;
      if (found.success && found.data.blob !== undefined)
        return `[${found.data.uri}] ${save(Buffer.from(found.data.blob, 'base64'), found.data.mimeType)}`;
    }
    return `[content of type ${part.type}, not shown]`;
  });
  if (structuredContent !== undefined && !isContainedIn(pieces, structuredContent))
    pieces.push(JSON.stringify(structuredContent, null, 2));
  const whole = clean(pieces.join('\n').trim()) || 'Done. The server returned no content.';
  if (isError) throw new ToolError('mcp_tool_failed', whole);
  // Not truncated: a result that is too long for the conversation is stored as a file when it is recorded.
  return { content: whole, files };
}

/** Maximum total length of texts that are compared exactly, because each comparison parses and serialises all of them. */
const MAX_COMPARED_CHARACTERS = 1_000_000;
/** For longer texts, structured content of at least this share of their length counts as equal; indenting makes JSON up to four times as long. */
const MIN_EQUAL_SHARE = 1 / 4;

/**
 * Whether the texts already contain the structured content: unchanged, or without the single key in which libraries wrap a
 * bare value (`{"result": …}`); in one text, or in a list with one text per item.
 */
function isContainedIn(pieces: readonly string[], structured: unknown): boolean {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > MAX_COMPARED_CHARACTERS) return JSON.stringify(structured).length > length * MIN_EQUAL_SHARE;
  const bare = unwrapSingleValue(structured);
  const wanted = [structured, ...(bare === undefined ? [] : [bare])].map((value) => JSON.stringify(value));
  const candidates = [...pieces, pieces.join('\n')].flatMap((piece) => [piece, parseJson(piece)]);
  candidates.push(
    pieces,
    pieces.map((piece) => parseJson(piece) ?? piece),
  );
  return candidates.some((value) => wanted.includes(JSON.stringify(value)));
}

function unwrapSingleValue(structured: unknown): unknown {
  if (typeof structured !== 'object' || structured === null || Array.isArray(structured)) return undefined;
  const values = Object.values(structured);
  return values.length === 1 ? values[0] : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
