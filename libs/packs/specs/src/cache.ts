import { MODALITIES } from '@phaseline/contracts';
import { z } from 'zod';
import { declareDomainPack } from './declare-pack.js';

export const REQUIREMENT_STATUSES = ['pending', 'claimed', 'done', 'failed'] as const;
export const CLAIM_OUTCOMES = ['done', 'failed', 'release', 'renew'] as const;

const leaseMinutes = z.int().min(1).max(1_440).optional();

/** A requirement as a job writes it to the cache. */
const cachedRequirementSchema = z.strictObject({
  id: z.string().min(1).max(200).describe("The requirement's id, such as 'REQ-0123456789'."),
  text: z.string().min(1).max(8_000).describe('The requirement, in words that can be understood without context.'),
  modality: z.enum(MODALITIES),
  section: z.array(z.string().max(500)).max(20).default([]).describe('Headings of its section, outermost first.'),
  citation: z
    .record(z.string().max(100), z.json())
    .refine((value) => JSON.stringify(value).length <= 20_000, 'is longer than 20,000 characters')
    .describe('Its source, as returned by cite_document: document, quote, page or lines.'),
  confidence: z.number().min(0).max(1).describe('Confidence that it is a requirement, from 0 to 1.'),
});

/** Tools that hand requirements over from the job that finds them to the jobs that check them. */
export const cacheSpec = declareDomainPack(
  'cache',
  {
    write_requirement_to_cache: {
      lane: 'remote',
      description:
        'Writes requirements to the requirement cache, from which other agents claim them. Reports requirements whose text is already in the cache.  ' +
        'Use it when the requirements are final, because entries cannot be changed.',
      input: z
        .strictObject({
          requirements: z.array(cachedRequirementSchema).min(1).max(100).optional(),
          file: z
            .string()
            .min(1)
            .max(500)
            .optional()
            .describe(
              "Path of a JSON file with a list of requirements, such as 'output/requirements.json', to write them all. Pass either this or 'requirements'.",
            ),
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
        'Claims the next pending requirements. They are reserved for you until the lease expires. Returns the entry and token of each, which mark_cached_requirement needs.',
      input: z.strictObject({
        limit: z.int().min(1).max(20).default(1).describe('Maximum number of requirements to claim.'),
        leaseMinutes: leaseMinutes.describe('Duration of the lease. Default: as configured, usually 15 minutes.'),
      }),
      effect: 'idempotent',
      timeoutMs: 30_000,
    },
    mark_cached_requirement: {
      lane: 'remote',
      description:
        'Reports the outcome of a requirement that you claimed: done, failed, released, or lease renewed. Fails if you no longer hold the claim.',
      input: z.strictObject({
        entry: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
        token: z.int().min(1).max(2_147_483_647).describe('The token of the claim.'),
        outcome: z
          .enum(CLAIM_OUTCOMES)
          .describe(
            "'done' and 'failed' end the claim, 'release' makes the requirement available to others, and 'renew' extends the lease.",
          ),
        note: z.string().min(1).max(4_000).optional().describe("The result; for 'failed', the reason."),
        leaseMinutes: leaseMinutes.describe("For 'renew': duration of the lease from now."),
      }),
      effect: 'idempotent',
      timeoutMs: 30_000,
    },
    list_cached_requirements: {
      lane: 'remote',
      description:
        'Counts the requirements in the cache by status and lists them, without claiming any. Use it to see which requirements are pending, in progress or failed.',
      input: z.strictObject({
        status: z.enum(REQUIREMENT_STATUSES).optional(),
        contains: z.string().min(1).max(200).optional().describe('Text that the requirement or its id must contain.'),
        after: z
          .int()
          .min(0)
          .max(Number.MAX_SAFE_INTEGER)
          .default(0)
          .describe('The last entry of the previous page, to get the next page.'),
        limit: z.int().min(1).max(200).default(50),
      }),
      effect: 'pure',
      timeoutMs: 30_000,
    },
    write_claim_report: {
      lane: 'remote',
      description:
        'Writes the outcome of every requirement that this job claimed to a JSON file, from the data of the cache, and returns the totals. ' +
        "It recognises notes of the form 'integrated as ID', 'duplicate of ID' and 'rejected', and in them 'fulfilled by NAME', 'not fulfilled by NAME' and 'undecided'.",
      input: z.strictObject({
        path: z
          .string()
          .regex(/^(?:output|work)\/[A-Za-z0-9._/-]{1,200}\.json$/, "expected a .json file below 'output/' or 'work/'")
          .default('output/validation.json'),
      }),
      effect: 'pure',
      timeoutMs: 30_000,
    },
  },
  { forPlanning: ['list_cached_requirements'] },
);
