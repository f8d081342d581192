import type { z } from 'zod';
import { parseExpression } from '#graphs/expression/expression.ts';
import { RecordType, recordLimits, SaveRecordTypeInput } from '#src/contracts/records/record-type.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { recordTypeId, type RecordTypeRecord, type RecordTypeVersion } from '#src/domain/records/record-type.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentType } from '#tools/records/present.ts';

type Asked = z.output<typeof SaveRecordTypeInput>;

export const saveRecordType = defineTool({
  name: 'save_record_type',
  description:
    'Saves a record type, or its next version. The node extract with recordType stores a record for each document.',
  scope: 'workflows:write',
  effect: 'write',
  idempotent: false,
  input: SaveRecordTypeInput,
  output: RecordType,
  async run(ctx: ToolContext<'recordTypes'>, asked) {
    const { deps, principal } = ctx;
    checkRules(asked);
    const of = { organizationId: principal.organizationId, projectId: projectFor(principal, asked.projectId) };
    const before = await deps.recordTypes.find(of, asked.name);
    if (before === null && (await deps.recordTypes.count(of)) >= recordLimits.types)
      throw new AppError('request.invalid', `A project has at most ${recordLimits.types} record types.`);
    if (before !== null && asked.baseVersion !== before.version) throw conflict(before.version, asked.baseVersion);
    if (before !== null && before.earlier.length >= recordLimits.versions)
      throw new AppError(
        'request.invalid',
        `The record type has ${recordLimits.versions} versions, which is the most. Save it under another name.`,
      );
    const type: RecordTypeRecord = {
      _id: recordTypeId(of, asked.name),
      ...of,
      name: asked.name,
      title: asked.title ?? before?.title ?? asked.name,
      version: (before?.version ?? 0) + 1,
      fields: asked.fields,
      rules: asked.rules,
      savedAt: new Date(),
      savedBy: principal.actorId,
      earlier: before === null || before.version === 0 ? [] : [...before.earlier, versionOf(before)],
    };
    if (!(await deps.recordTypes.save(type))) throw conflict(type.version, asked.baseVersion);
    ctx.outcome.created = type.version === 1;
    return presentType(type);
  },
});

const versionOf = ({ version, title, fields, rules, savedAt, savedBy }: RecordTypeVersion): RecordTypeVersion => ({
  version,
  title,
  fields,
  rules,
  savedAt,
  savedBy,
});

function conflict(version: number, given: number | undefined): AppError {
  const message = `the newest version is ${version}`;
  return new AppError(
    'record_type.conflict',
    given === undefined
      ? `The record type exists: send baseVersion ${version} to save its next version.`
      : 'Another version of this record type was saved meanwhile. List the types, then save again with its version as baseVersion.',
    { errors: [{ pointer: '/baseVersion', code: given === undefined ? 'required' : 'conflict', message }] },
  );
}

/** Errors: `request.invalid` for an expression that cannot be parsed, or that names no field. */
function checkRules({ fields, rules }: Asked): void {
  for (const [at, { expression }] of rules.entries()) {
    const pointer = `/rules/${at}/expression`;
    const refuse = (message: string): never => {
      throw new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
        errors: [{ pointer, code: 'invalid_value', message }],
      });
    };
    let names: readonly string[] = [];
    try {
      ({ names } = parseExpression(expression));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(error.detail);
    }
    const unknown = names.find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined)
      refuse(`it names ${unknown}, which is no field; there are ${Object.keys(fields).join(', ')}`);
  }
}
