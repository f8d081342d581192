import type { WorkflowTool } from '#src/contracts/resources/graph.ts';
import { own } from '#src/contracts/own.ts';
import { AppError, type FieldError } from '#src/domain/app-error.ts';
import { invalidInput } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { isObject, propertiesOf } from '#mcp/present/schema.ts';

type Input = Readonly<Record<string, unknown>>;

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Fields that are missing or unknown. */
function fieldErrors({ input: schema }: WorkflowTool, input: Input): FieldError[] {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const missing = ['documentId', ...required].filter((name) => !Object.hasOwn(input, name));
  const unknown = Object.keys(input).filter((name) => name !== 'documentId' && own(properties, name) === undefined);
  const { documentId } = input;
  const isText = documentId === undefined || (typeof documentId === 'string' && documentId !== '');
  return [
    ...missing.map((name) => ({ pointer: `/${escaped(name)}`, code: 'required', message: 'is required' })),
    ...(isText ? [] : [{ pointer: '/documentId', code: 'invalid_type', message: 'must be the id of a document' }]),
    ...unknown.map((name) => {
      const message = `unknown field: remove it; the tool takes ${['documentId', ...Object.keys(properties)].join(', ')}`;
      return { pointer: `/${escaped(name)}`, code: 'unknown_field', message };
    }),
  ];
}

/** A line about a value that does not fit, as the error of its field. */
function asFieldError(line: string): FieldError {
  const [, pointer = '', message = line] = /^(\/\S*) (.*)$/s.exec(line) ?? [];
  return { pointer, code: 'invalid_value', message };
}

/** Checks the input of a call against the author's schema, off the event loop. Error: `request.invalid`, with each field. */
export async function requireFit(
  tool: WorkflowTool,
  input: Input,
  { deps, signal }: ToolContext<'unfitFor'>,
): Promise<Input & { readonly documentId: string }> {
  const errors = fieldErrors(tool, input);
  if (errors.length > 0) throw invalidInput(errors);
  const { documentId, ...fields } = input;
  if (isObject(tool.input['properties']) && Object.keys(fields).length > 0) {
    const problems = await deps.unfitFor({ schema: tool.input, value: fields }, signal);
    if (problems === null)
      throw new AppError(
        'request.invalid',
        'The input takes too long to compare with the schema of the tool. Send less.',
      );
    if (problems.length > 0) throw invalidInput(problems.map(asFieldError));
  }
  return { ...fields, documentId: String(documentId) };
}
