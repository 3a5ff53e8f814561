import { z } from 'zod';
import { tenantOrAllSchema } from '../tenant/tenant.js';

/** A key of a principal, without its secret part. */
export const keySchema = z
  .object({
    /** The 8 hexadecimal digits after `plk_`, by which a key is found. */
    prefix: z.string(),
    principal: z.string(),
    /** What the key is for. */
    label: z.string(),
    /** `active`: requests with the key are accepted, unless its principal is disabled. */
    status: z.enum(['active', 'expired', 'revoked']),
    createdAt: z.iso.datetime(),
    createdBy: z.string(),
    expiresAt: z.iso.datetime().optional(),
    revokedAt: z.iso.datetime().optional(),
    /** The only rights of the key; missing if it has all rights of its principal. */
    rights: z.array(z.string()).optional(),
    /** The only tenants of the key; missing if it has all tenants of its principal. */
    tenants: z.array(z.string()).optional(),
  })
  .meta({ id: 'Key' });
export type KeyRecord = z.infer<typeof keySchema>;

export const keyListSchema = z.object({ items: z.array(keySchema) }).meta({ id: 'KeyList' });
export type KeyList = z.infer<typeof keyListSchema>;

/** A new key. `key` is only in this response: it is stored nowhere. */
export const createdKeySchema = z.object({ ...keySchema.shape, key: z.string() }).meta({ id: 'CreatedKey' });
export type CreatedKeyResponse = z.infer<typeof createdKeySchema>;

export const keyPrefixSchema = z.string().regex(/^[0-9a-f]{8}$/, 'expected the 8 hexadecimal digits after plk_');

export const listKeysQuerySchema = z
  .strictObject({
    principal: z.string().max(100).optional(),
    /** Beginning of the prefix. */
    prefix: z
      .string()
      .regex(/^[0-9a-f]{1,8}$/, 'expected 1 to 8 hexadecimal digits')
      .optional(),
  })
  .meta({ id: 'ListKeysQuery' });
export type ListKeysQuery = z.infer<typeof listKeysQuerySchema>;

export const createKeyRequestSchema = z
  .strictObject({
    principal: z.string().max(100),
    label: z.string().max(200).default(''),
    /** Default: 90 days from now. At most 2 years from now. */
    expiresAt: z.iso.datetime().optional(),
    rights: z.array(z.string().max(100)).min(1).max(100).optional(),
    tenants: z.array(tenantOrAllSchema).min(1).max(100).optional(),
  })
  .meta({ id: 'CreateKeyRequest' });
export type CreateKeyRequest = z.input<typeof createKeyRequestSchema>;
export type ParsedCreateKeyRequest = z.output<typeof createKeyRequestSchema>;

export const revokeKeyQuerySchema = z
  .strictObject({ reason: z.string().max(1_000).default('') })
  .meta({ id: 'RevokeKeyQuery' });
export type RevokeKeyQuery = z.output<typeof revokeKeyQuerySchema>;
