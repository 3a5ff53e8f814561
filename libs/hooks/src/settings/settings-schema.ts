import { z } from 'zod';

const common = {
  if: z.string().max(1_000).optional(),
  timeout: z.number().positive().max(86_400).optional(),
  statusMessage: z.string().optional(),
  once: z.boolean().optional(),
  onFailure: z.enum(['continue', 'block']).optional(),
};

/** Handlers of the protocol. Other members are allowed, because newer versions of it may have more. */
export const handlerSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('command'),
    ...common,
    command: z.string().min(1).max(10_000),
    args: z.array(z.string().max(10_000)).max(100).optional(),
    shell: z.string().optional(),
    async: z.boolean().optional(),
    asyncRewake: z.boolean().optional(),
  }),
  z.looseObject({ type: z.literal('http'), ...common, url: z.string() }),
  z.looseObject({ type: z.literal('mcp_tool'), ...common, server: z.string(), tool: z.string() }),
  ...(['prompt', 'agent'] as const).map((type) =>
    z.looseObject({
      type: z.literal(type),
      ...common,
      prompt: z.string().min(1).max(20_000),
      model: z.string().optional(),
    }),
  ),
]);
export type SettingsHandler = z.infer<typeof handlerSchema>;

/** A matcher is a text. Document 003 writes an object with the matched member, which is read too. */
const matcherSchema = z.union([z.string(), z.strictObject({ tool_name: z.string() }).transform((m) => m.tool_name)]);

export const groupSchema = z.looseObject({
  matcher: matcherSchema.optional(),
  hooks: z.array(z.unknown()).max(100),
});

export const eventsSchema = z.record(z.string(), z.array(z.unknown()).max(100));

/** Variables of a settings file, which its hooks receive. */
export const environmentSchema = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(10_000));
