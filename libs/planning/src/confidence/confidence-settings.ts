import { z } from 'zod';
import { shareSchema } from '../artifacts/fields.js';

const weightSchema = z.number().min(0).max(1_000);

/** Facts about a stage, each between 0 and 1, that neither the model nor the validator states. */
export const heuristicNames = ['estimatedNodes', 'answeredQuestions', 'patternDistance'] as const;
export type HeuristicName = (typeof heuristicNames)[number];

const hasWeight = (weights: object): boolean => Object.values(weights).some((weight: number) => weight > 0);

/** Settings of the confidence of a stage. Weights are relative: they are divided by their sum. */
export const confidenceSettingsSchema = z
  .strictObject({
    weights: z
      .strictObject({ self: weightSchema, validator: weightSchema, heuristics: weightSchema })
      .refine(hasWeight, 'expected a weight above 0'),
    heuristics: z
      .strictObject({ estimatedNodes: weightSchema, answeredQuestions: weightSchema, patternDistance: weightSchema })
      .refine(hasWeight, 'expected a weight above 0'),
    continueFrom: shareSchema.describe('Confidence from which the stage continues'),
    retryFrom: shareSchema.describe('Confidence from which the stage is tried again; below it, a person is asked'),
  })
  .refine(({ continueFrom, retryFrom }) => retryFrom <= continueFrom, {
    message: 'must not exceed continueFrom',
    path: ['retryFrom'],
  })
  .meta({ title: 'ConfidenceSettings' });
export type ConfidenceSettings = z.infer<typeof confidenceSettingsSchema>;

/**
 * The self-score counts most, because only the model knows how much it guessed. Of the heuristics, estimates count double: they decide
 * whether the stages after this one have something to work with.
 */
export const DEFAULT_CONFIDENCE_SETTINGS: ConfidenceSettings = {
  weights: { self: 0.5, validator: 0.3, heuristics: 0.2 },
  heuristics: { estimatedNodes: 2, answeredQuestions: 1, patternDistance: 1 },
  continueFrom: 0.7,
  retryFrom: 0.4,
};
