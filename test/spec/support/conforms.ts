import { expect } from 'vitest';
import { z } from 'zod';
import { exportMedia, textMedia } from '#src/contracts/resources/document.ts';
import type { Answer } from '#test/support/test-app.ts';

type Json = Record<string, any>;

/** `/documents/{id}` of the description, for a path that was asked for. */
function operationOf(description: Json, method: string, path: string): Json {
  const { pathname } = new URL(path, 'http://localhost');
  const templates = Object.keys(description['paths'] as Json).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  // The address without parameters is the nearer one.
  const [template = ''] = templates.toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')));
  return description['paths'][template]?.[method.toLowerCase()];
}

/** Holds an answer against the description that the service itself gives: operation, status, media type, body. */
export function expectConforming(description: Json, [method, path]: readonly [string, string], answer: Answer): void {
  const operation = operationOf(description, method, path);
  expect(operation, `${method} ${path} is not described`).toBeDefined();
  const response = operation['responses'][String(answer.status)];
  expect(response, `${operation['operationId']} describes no ${answer.status}`).toBeDefined();
  const mediaType = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  // Texts and exports of documents have a media type for each format; all else has one.
  const files = [Object.values(textMedia), Object.values(exportMedia)].find((one) => one.includes(mediaType));
  expect(Object.keys(response.content)).toEqual(files ?? [mediaType]);
  // zod reads references into `$defs` only.
  const text = JSON.stringify({ ...response.content[mediaType].schema, $defs: description['components'].schemas });
  const schema = z.fromJSONSchema(JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')));
  const { error } = schema.safeParse(
    mediaType === 'text/event-stream' ? JSON.parse(/^data: (.*)$/m.exec(answer.body)?.[1] ?? 'null') : answer.body,
  );
  expect(error === undefined ? '' : `${operation['operationId']}: ${z.prettifyError(error)}`).toBe('');
}
