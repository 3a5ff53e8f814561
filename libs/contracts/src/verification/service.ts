import { z } from 'zod';

/** A program and its arguments. It is started without a shell. */
export const argvSchema = z
  .array(
    z
      .string()
      .max(10_000)
      .regex(/^[^\0]*$/, 'expected no NUL character'),
  )
  .min(1)
  .max(200)
  .refine(([program]) => program !== undefined && program.trim() !== '', {
    error: 'expected the name of a program first',
  });

/** A program that runs beside a command, such as a server that it tests, and ends with it. */
export const serviceSchema = z.strictObject({
  argv: argvSchema.describe('Program and arguments'),
  ready: z
    .union([
      z.strictObject({ port: z.int().min(1).max(65_535).describe('Accepts connections on 127.0.0.1') }),
      z.strictObject({
        http: z
          .url({ protocol: /^http$/, hostname: /^(?:127\.0\.0\.1|localhost)$/ })
          .max(1_000)
          .describe('Answers with a status below 500; a URL of 127.0.0.1 or localhost'),
      }),
      z.strictObject({ log: z.string().min(1).max(500).describe('Text that its output contains') }),
    ])
    .describe('How it is known that the service is ready'),
  timeoutMs: z.int().min(100).max(600_000).default(30_000).describe('Maximum wait until it is ready'),
});
export type Service = z.infer<typeof serviceSchema>;
