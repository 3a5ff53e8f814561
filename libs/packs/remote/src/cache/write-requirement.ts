import { cacheSpec } from '@phaseline/pack-specs';
import type { ToolRun, RemoteToolContext } from '@phaseline/tools';
import { z } from 'zod';
import { MODALITIES } from '@phaseline/contracts';
import { ToolError } from '@phaseline/contracts';
import type { OpenCache } from './cache-options.js';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_REQUIREMENTS_PER_FILE = 5_000;
/** Maximum entries that the result lists one by one. */
const MAX_LISTED_ENTRIES = 40;

const requirement = z.strictObject({
  id: z.string().min(1).max(200).describe("The requirement's id, such as 'REQ-0123456789'."),
  text: z.string().min(1).max(8_000).describe('The requirement, in words that can be read alone.'),
  modality: z.enum(MODALITIES),
  section: z.array(z.string().max(500)).max(20).default([]).describe('Headings that it stands under, outermost first.'),
  citation: z
    .record(z.string().max(100), z.json())
    .refine((value) => JSON.stringify(value).length <= 20_000, 'is longer than 20,000 characters')
    .describe('Where it is stated, as cite_document returned it: document, quote, page or lines.'),
  confidence: z.number().min(0).max(1).describe('How sure you are that it is a requirement.'),
});

/** Not strict: other tools and agents may write additional fields, which are dropped. */
const requirementsFile = z.object({
  requirements: z.array(z.object(requirement.shape)).max(MAX_REQUIREMENTS_PER_FILE),
});

export function writeRequirementToCache(open: OpenCache): ToolRun<typeof cacheSpec, 'write_requirement_to_cache'> {
  return async (context, value) => {
    const requirements = value.requirements ?? (await readRequirements(context, value.file ?? ''));
    if (requirements.length === 0) return { content: 'The file contains no requirements. Nothing was written.' };
    const { cache, call, tenant } = await open(context);
    const written = await cache.write(call, requirements);
    const lines = written.map(({ entry, isNew, id, status, writtenBy }, i) => {
      const requestedId = requirements[i]?.id ?? '';
      if (isNew) return `- ${requestedId}: entry ${entry}`;
      const by = writtenBy === context.jobId ? 'this job' : `job ${writtenBy}`;
      return `- ${requestedId}: duplicate of entry ${entry} (${id}, by ${by}, ${status}); the citation was added to that entry`;
    });
    const fresh = written.filter(({ isNew }) => isNew).length;
    const { collection, callId } = call;
    const duplicates = written.length - fresh;
    context.recordEvent?.({
      type: 'RequirementsCached',
      data: { callId, tenant, collection, added: fresh, duplicates },
    });
    // Duplicates first: the model needs to know about them.
    const shown = lines.toSorted((a, b) => Number(b.includes('duplicate')) - Number(a.includes('duplicate')));
    return {
      content: [
        `Wrote ${fresh} of ${written.length} requirements; ${duplicates} were already in the cache.`,
        ...shown.slice(0, MAX_LISTED_ENTRIES),
        ...(shown.length > MAX_LISTED_ENTRIES
          ? [`… and ${shown.length - MAX_LISTED_ENTRIES} more; call list_cached_requirements to see them`]
          : []),
      ].join('\n'),
    };
  };
}

async function readRequirements(context: RemoteToolContext, path: string): Promise<z.infer<typeof requirement>[]> {
  const entry = Object.hasOwn(context.workspace.tree, path) ? context.workspace.tree[path] : undefined;
  if (!entry)
    throw new ToolError('file_missing', `There is no file '${path}' in the workspace. List the files and try again.`);
  if (entry.size > MAX_FILE_BYTES)
    throw new ToolError(
      'file_too_large',
      `'${path}' has ${entry.size} bytes; the maximum is ${MAX_FILE_BYTES}. Split the file.`,
    );
  const bytes = await context.workspace.read(path);
  const parsed = requirementsFile.safeParse(parseJson(path, new TextDecoder().decode(bytes)));
  if (parsed.success) return parsed.data.requirements;
  const [issue] = parsed.error.issues;
  throw new ToolError('not_requirements', `'${path}' is invalid at ${issue?.path.join('.')}: ${issue?.message}.`);
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError('not_requirements', `'${path}' is not valid JSON: ${(cause as Error).message}.`, { cause });
  }
}
