import { z } from 'zod';
import type { ToolOutcome } from '@phaseline/tools';
import { ToolError } from '@phaseline/tools';
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

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg',
  'audio/wav': 'wav', 'audio/mpeg': 'mp3', 'application/pdf': 'pdf', 'application/json': 'json', 'text/html': 'html',
}; // prettier-ignore

/**
 * What a server answered, as a result: texts for the model, everything else as files under `folder`, each with a note.
 * Throws ToolError `mcp_tool_failed` with the server's words when it says that the tool failed.
 */
export function outcomeOf(answer: unknown, folder: string, clean: (text: string) => string): ToolOutcome {
  const parsed = resultSchema.safeParse(answer);
  if (!parsed.success)
    throw new ToolError('mcp_bad_answer', 'The MCP server answered with something that is no result.', {
      outcomeUnknown: true,
    });
  const { content, structuredContent, isError } = parsed.data;
  const files: FileChange[] = [];
  const save = (bytes: Uint8Array, mimeType = 'application/octet-stream'): string => {
    if (bytes.byteLength > MAX_FILE_BYTES || files.length >= MAX_FILES)
      return `[${mimeType}, ${bytes.byteLength} bytes, not kept: too much]`;
    const path = `${folder}-${files.length + 1}.${extensions[mimeType] ?? (mimeType.startsWith('text/') ? 'txt' : 'bin')}`;
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
    return `[content of the kind ${part.type}, which is not shown]`;
  });
  if (structuredContent !== undefined && !isSaidBy(pieces, structuredContent))
    pieces.push(JSON.stringify(structuredContent, null, 2));
  const whole = clean(pieces.join('\n').trim()) || 'Done; the server said nothing.';
  if (isError) throw new ToolError('mcp_tool_failed', whole);
  // However long: what is too long for the conversation becomes a file where the result is recorded.
  return { content: whole, files };
}

/** Texts that are longer together are not compared word for word: each comparison parses and writes all of them again. */
const MAX_COMPARED_CHARACTERS = 1_000_000;
/** Structured content of at least this share of such a text is taken for the same; indented JSON is up to four times as long. */
const SAME_SHARE = 1 / 4;

/**
 * Whether the texts say what the structured content says: as it is, or without the one key that libraries wrap a bare value in
 * (`{"result": …}`), in one text or a list of them, one text per item.
 */
function isSaidBy(pieces: readonly string[], structured: unknown): boolean {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > MAX_COMPARED_CHARACTERS) return JSON.stringify(structured).length > length * SAME_SHARE;
  const bare = bareValue(structured);
  const wanted = [structured, ...(bare === undefined ? [] : [bare])].map((value) => JSON.stringify(value));
  const said = [...pieces, pieces.join('\n')].flatMap((piece) => [piece, parsed(piece)]);
  said.push(
    pieces,
    pieces.map((piece) => parsed(piece) ?? piece),
  );
  return said.some((value) => wanted.includes(JSON.stringify(value)));
}

function bareValue(structured: unknown): unknown {
  if (typeof structured !== 'object' || structured === null || Array.isArray(structured)) return undefined;
  const values = Object.values(structured);
  return values.length === 1 ? values[0] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
