import type { OpenAPIObject } from '@nestjs/swagger';

/** Holds the OpenAPI document, which can only be created once all routes are known. */
export class OpenApiHolder {
  #document: OpenAPIObject | undefined;

  set(document: OpenAPIObject): void {
    this.#document = document;
  }

  get document(): OpenAPIObject {
    if (!this.#document) throw new Error('the OpenAPI document was requested before it was created');
    return this.#document;
  }
}
