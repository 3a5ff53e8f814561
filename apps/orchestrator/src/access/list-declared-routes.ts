import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { Requirement } from './requires.js';
import { Requires } from './requires.js';

/** A route with what it declares. `requires` is undefined if it declares nothing, so that every request is refused. */
export interface DeclaredRoute {
  readonly method: string;
  /** Such as `/v1/jobs/:jobId/files/*`. */
  readonly path: string;
  readonly requires: Requirement | undefined;
}

/** Lists the routes of the controllers of a module, without starting it, ordered by path. */
export function listDeclaredRoutes(module: Type): readonly DeclaredRoute[] {
  const controllers = (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) ?? []) as readonly Type[];
  return controllers.flatMap(listOfController).sort((a, b) => compare(keyOf(a), keyOf(b)));
}

function listOfController(controller: Type): DeclaredRoute[] {
  const prototype = controller.prototype as Readonly<Record<string, unknown>>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (typeof handler !== 'function') return [];
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    const prefix: unknown = Reflect.getMetadata(PATH_METADATA, controller);
    const paths = [Reflect.getMetadata(PATH_METADATA, handler)].flat() as readonly unknown[];
    const declared: unknown =
      Reflect.getMetadata(Requires.KEY, handler) ?? Reflect.getMetadata(Requires.KEY, controller);
    const requires = declared as Requirement | undefined;
    return paths.map((path) => ({ method: RequestMethod[method], path: joinPaths([prefix, path]), requires }));
  });
}

/** Joins what decorators contain: `/`, `v1/jobs` or `:jobId`. */
function joinPaths(paths: readonly unknown[]): string {
  return `/${paths
    .map((path) => (typeof path === 'string' ? path.replace(/^\/|\/$/g, '') : ''))
    .filter((path) => path !== '')
    .join('/')}`;
}

const keyOf = ({ path, method }: DeclaredRoute): string => `${path} ${method}`;

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
