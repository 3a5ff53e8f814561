import { z } from 'zod';
import { shareSchema } from './fields.js';

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export const weekdaySchema = z.enum(weekdays);

/** How a person wants work to be spread. A preference of the user, which a session can override. */
export const strategyProfileSchema = z
  .strictObject({
    loading: z.enum(['even', 'front_loaded', 'back_loaded']).describe('Where in the available time work is placed'),
    bufferShare: shareSchema.describe('Fraction of the capacity of each day that stays free'),
    preferredWeekdays: z.array(weekdaySchema).max(7).describe('Days that are filled first; empty: no preference'),
  })
  .meta({ title: 'StrategyProfile' });
export type StrategyProfile = z.infer<typeof strategyProfileSchema>;

/** Even load without buffers and without preferred days: nothing that the person did not ask for. */
export const DEFAULT_STRATEGY_PROFILE: StrategyProfile = { loading: 'even', bufferShare: 0, preferredWeekdays: [] };
