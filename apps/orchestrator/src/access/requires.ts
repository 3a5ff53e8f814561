import { Reflector } from '@nestjs/core';
import type { Right } from '@phaseline/identity';

/**
 * A right; `any-caller` for a route that every authenticated caller may use because it reveals no tenant's data; or `anyone` for a route
 * that is needed to sign in, and answers also without a key.
 */
export type Requirement = Right | 'any-caller' | 'anyone';

/**
 * Decorator of a controller or a route: declares the right that a caller needs. `AccessGuard` refuses a route without it. A route
 * whose path contains `:jobId` needs the right in the tenant of that job.
 */
export const Requires = Reflector.createDecorator<Requirement>();
