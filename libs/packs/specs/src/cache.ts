import { MODALITIES } from '@phaseline/contracts';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

export const REQUIREMENT_STATUSES = ['pending', 'claimed', 'done', 'failed'] as const;
export const CLAIM_OUTCOMES = ['done', 'failed', 'release', 'renew'] as const;

const leaseMinutes = z.int().min(1).max(1_440).optional();

/** A requirement as a job writes it to the cache. */
const cachedRequirementSchema = z.strictObject({
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

/** Tools that hand requirements over from the job that finds them to the jobs that check them. */
export const cacheSpec = declarePack('cache', {
  write_requirement_to_cache: {
    lane: 'remote',
    description:
      'Hands requirements over to the agent that checks them: writes them to the requirement cache and says which of them were there already, by their words. ' +
      'Use it when requirements are final; what was written cannot be changed.',
    input: z
      .strictObject({
        requirements: z.array(cachedRequirementSchema).min(1).max(100).optional(),
        file: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe("Instead: a JSON file with a list of them, such as 'output/requirements.json'; all are written."),
      })
      .refine(
        ({ requirements, file }) => (requirements === undefined) !== (file === undefined),
        "expected one of 'requirements' and 'file'",
      ),
    effect: 'idempotent',
    timeoutMs: 60_000,
  },
  claim_requirements_from_cache: {
    lane: 'remote',
    description:
      'Takes the next requirements that wait to be checked, for you alone until the lease ends. Returns each with its entry and token, which mark_cached_requirement wants.',
    input: z.strictObject({
      limit: z.int().min(1).max(20).default(1).describe('How many to take at most.'),
      leaseMinutes: leaseMinutes.describe('How long you hold them. Default: as configured, 15 minutes.'),
    }),
    effect: 'idempotent',
    timeoutMs: 30_000,
  },
  mark_cached_requirement: {
    lane: 'remote',
    description:
      'Says what became of a requirement that you claimed: done, failed, given back, or held longer. Refused when the claim is no longer yours.',
    input: z.strictObject({
      entry: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
      token: z.int().min(1).max(2_147_483_647).describe('The token of the claim.'),
      outcome: z
        .enum(CLAIM_OUTCOMES)
        .describe("'done' or 'failed' end it, 'release' gives it back for others, 'renew' holds it longer."),
      note: z.string().min(1).max(4_000).optional().describe('What came out; with failed, why.'),
      leaseMinutes: leaseMinutes.describe("With 'renew': how long from now on."),
    }),
    effect: 'idempotent',
    timeoutMs: 30_000,
  },
  list_cached_requirements: {
    lane: 'remote',
    description:
      'Counts the requirements in the cache by status and lists them, without claiming any. Use it to see what is handed over, what waits and what failed.',
    input: z.strictObject({
      status: z.enum(REQUIREMENT_STATUSES).optional(),
      contains: z.string().min(1).max(200).optional().describe('Words that the text or the id must hold.'),
      after: z
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .default(0)
        .describe('The last entry of the page before, for the next one.'),
      limit: z.int().min(1).max(200).default(50),
    }),
    effect: 'pure',
    timeoutMs: 30_000,
  },
  write_claim_report: {
    lane: 'remote',
    description:
      'Writes what became of every requirement that this job claimed into a JSON file, out of the cache itself, and returns the figures. ' +
      "In notes it tells apart 'integrated as ID', 'duplicate of ID' and 'rejected', and 'fulfilled by NAME', 'not fulfilled by NAME' and 'undecided'.",
    input: z.strictObject({
      path: z
        .string()
        .regex(/^(?:output|work)\/[A-Za-z0-9._/-]{1,200}\.json$/, "expected a .json file below 'output/' or 'work/'")
        .default('output/validation.json'),
    }),
    effect: 'pure',
    timeoutMs: 30_000,
  },
});
