import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Holds the OpenAPI document. It is created by the first request for it: all routes are known then, and a start does not wait for the schemas of
 * a hundred routes.
 */
export class OpenApiHolder {
  private create: (() => OpenAPIObject) | undefined;
  private created: OpenAPIObject | undefined;

  set(create: () => OpenAPIObject): void {
    this.create = create;
  }

  get document(): OpenAPIObject {
    if (!this.create) throw new Error('the OpenAPI document was requested before the service was configured');
    return (this.created ??= this.create());
  }
}
