import type { OpenAPIObject } from '@nestjs/swagger';

/** Holds the OpenAPI document, which can only be created once all routes are known. */
export class OpenApiHolder {
  private createdDocument: OpenAPIObject | undefined;

  set(document: OpenAPIObject): void {
    this.createdDocument = document;
  }

  get document(): OpenAPIObject {
    if (!this.createdDocument) throw new Error('the OpenAPI document was requested before it was created');
    return this.createdDocument;
  }
}
