import { z } from 'zod';

const principalSchema = z.object({
  /** Id of the person or service, or of a process. Older logs also contain `local` and `queue`. */
  id: z.string().min(1),
  /**
   * `person` and `service`: a principal, also that of a message on the queue `jobs` · `process`: a process of this system.
   */
  kind: z.enum(['person', 'service', 'process']),
});

/** Who recorded an event, as `actor` in the event's metadata. */
export const actorSchema = principalSchema.extend({
  /** For whom the actor says that it acts, such as the person named in a request. */
  onBehalfOf: principalSchema.optional(),
});
export type Actor = z.infer<typeof actorSchema>;

/** Actor of requests to a service that requires no API key. */
export const LOCAL_ACTOR = 'local';

/** Returns the actor of a request: its sender, on behalf of the person whom the request names. */
export function createRequestActor(senderId: string = LOCAL_ACTOR, name: string = senderId): Actor {
  return {
    id: senderId,
    kind: senderId === LOCAL_ACTOR ? 'person' : 'service',
    ...(name === senderId ? {} : { onBehalfOf: { id: name, kind: 'person' } }),
  };
}

/** Returns the name for people: that of the person who is acted for, or else of the actor. */
export function getActorName({ id, onBehalfOf }: Actor): string {
  return onBehalfOf?.id ?? id;
}

/** Returns the owner of the idempotency keys of an actor. Ids of principals contain no "/". */
export function identifyKeyOwner({ id, onBehalfOf }: Actor): string {
  return onBehalfOf ? `${id}/${onBehalfOf.id}` : id;
}
