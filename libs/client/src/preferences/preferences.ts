import { z } from 'zod';

const json = z.record(z.string(), z.unknown());
const MAX_NAME_CHARACTERS = 200;
const text = z.string().max(MAX_NAME_CHARACTERS).nullable().optional();
const number = z.number().nullable().optional();
const object = json.nullable().optional();

/** Query of the routes of preferences. */
export const preferencesQuerySchema = z
  .strictObject({
    /** Default: the only tenant in which the caller may answer questions, or `default`. */
    tenant: z.string().min(1).max(MAX_NAME_CHARACTERS).optional(),
  })
  .meta({ id: 'PreferencesQuery' });
export type PreferencesQuery = z.infer<typeof preferencesQuerySchema>;

/** Body of `PUT /v1/me/preferences`: new values by key. `null` clears one; what is absent stays. */
export const changePreferencesRequestSchema = z
  .strictObject({
    conversationStyle: text,
    talkativeness: number,
    autonomy: text,
    brainstormingPreference: text,
    approvalPolicy: text,
    probingDepth: number,
    tone: text,
    /** Working hours and holidays, capacity, and how the work is spread: as the context of a plan has them. */
    calendar: object,
    capacity: object,
    strategy: object,
  })
  .meta({ id: 'ChangePreferencesRequest' });
export type ChangePreferencesRequest = z.infer<typeof changePreferencesRequestSchema>;

export const preferencesSchema = z
  .object({
    /** Person whose preferences they are: the caller, or the one for whom it acts. */
    user: z.string(),
    tenant: z.string(),
    /** Changes with each change. `If-Match` with this version in quotation marks refuses a change of other preferences than those seen. */
    version: z.int().min(0),
    /** What applies, by key. */
    preferences: json,
    /** Keys that the person has set. The others have their defaults. */
    set: z.array(z.string()),
  })
  .meta({ id: 'Preferences' });
export type Preferences = z.infer<typeof preferencesSchema>;
