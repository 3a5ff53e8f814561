import { Module } from '@nestjs/common';
import type { DynamicModule, InjectionToken } from '@nestjs/common';

class ServiceModule {}
Module({})(ServiceModule);

/** A global module that gives what the service lib opened to every provider of the app. */
export function serviceModule(values: ReadonlyMap<InjectionToken, unknown>): DynamicModule {
  const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }));
  return { module: ServiceModule, global: true, providers, exports: [...values.keys()] };
}
