import { processIdSchema, queueNames } from '@phaseline/contracts';
import { z } from 'zod';

const queueName = z.enum(queueNames as readonly [(typeof queueNames)[number], ...(typeof queueNames)[number][]]);
const number = z.int().nonnegative();

/** What processes tell each other about messages that they hand over. */
const frameSchema = z.union([
  /** Number, queue and payload of a message, which the receiver may take. */
  z.tuple([z.literal('message'), number, queueName, z.unknown()]),
  /** The receiver handles the message with this number. */
  z.tuple([z.literal('taken'), number]),
  /** The receiver does not handle it: it is busy, paused or closing. */
  z.tuple([z.literal('refused'), number]),
  /** Asks which queues the others serve. */
  z.tuple([z.literal('who')]),
  /** The queues that the sender serves; none when it closes. */
  z.tuple([z.literal('serves'), z.array(queueName)]),
]);
export type Frame = z.output<typeof frameSchema>;

const letterSchema = z.object({
  from: processIdSchema,
  frames: z.array(frameSchema),
  /** What the sender enclosed with its messages, sealed, by the number of the message. Processes of earlier releases ignore it. */
  sealed: z.record(z.string(), z.string()).optional(),
  /** Mark of the seals that the sender opens; absent if none. */
  opens: z.string().optional(),
});

export type ReceivedLetter = z.output<typeof letterSchema>;

/** Returns the sender and the frames of a text; undefined for a text of another release, or one that is not ours. */
export function parseLetter(text: string): ReceivedLetter | undefined {
  try {
    return letterSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
