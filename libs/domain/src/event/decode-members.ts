import { z } from 'zod';
import { jobEventDefinitions } from '../job/job-events.js';
import { phaseEventDefinitions } from '../phase/phase-events.js';
import { UndecodableEvent, type StoredEvent } from './undecodable-event.js';

/**
 * Creates a decoder for some members of an event's data (`a.b` is member `b` of `a`), using the schemas of the whole event.
 * It is for readers that select members in the database, which returns null for missing ones. Throws UndecodableEvent.
 */
export function createMemberDecoder(type: string, fields: readonly string[]): (stored: StoredEvent) => unknown {
  const definition = [...jobEventDefinitions, ...phaseEventDefinitions].find((known) => known.type === type);
  if (!definition) throw new Error(`unknown event type ${type}`);
  // The data of every event is an object; the union of their schemas has no common shape.
  const { shape } = definition.data as unknown as z.ZodObject;
  const schema = z.object(Object.fromEntries(fields.map((field) => memberOf(shape, field))));
  return (stored) => {
    const present = Object.entries(stored.data as object).filter(([, value]) => value !== null);
    const parsed = schema.safeParse(Object.fromEntries(present));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new UndecodableEvent(stored, `${issue?.path.join('.') || 'data'}: ${issue?.message ?? 'wrong shape'}`);
  };
}

function memberOf(shape: z.ZodObject['shape'], field: string): [string, z.ZodType] {
  const [name, inner] = field.split('.') as [string, string | undefined];
  const member = shape[name] as z.ZodType;
  if (inner === undefined) return [name, member];
  return [name, z.object({ [inner]: (member as z.ZodObject).shape[inner] as z.ZodType })];
}
