import { z } from 'zod';
import { backtestRequestSchema } from './backtest.js';
import { billRequestSchema } from './bill.js';
import { releaseCheckRequestSchema } from './release-check.js';

/** What the program that decides recorded jobs again is asked to do. */
export const whatIfRequestSchema = z.discriminatedUnion('kind', [
  releaseCheckRequestSchema,
  backtestRequestSchema,
  billRequestSchema,
]);
export type WhatIfRequest = z.infer<typeof whatIfRequestSchema>;
