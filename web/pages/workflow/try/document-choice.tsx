import { useQuery } from '@tanstack/react-query';
import { pageAt } from '../../../router/navigate.ts';
import { useState } from 'react';
import { read } from '../../../api/read.ts';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { Failure } from '../../../parts/states.tsx';
import { useProject } from '../../../shell/session.ts';
import { useDebounced } from '../../../state/debounced.ts';
import { workflows as words } from '../../../text/workflows.ts';

const route = pageAt('/workflows/$id');

/** Returns the document that drafts and nodes are tried on, and the fields that choose it. The address keeps it. */
export function useDocumentChoice() {
  const project = useProject();
  const { document } = route.useSearch();
  const { navigate } = route;
  const [text, setText] = useState('');
  const query = useDebounced(text.trim(), 200);
  const documents = useQuery(
    read('documents', 'list', { query: { projectId: project.id, limit: 25, query: query === '' ? undefined : query } }),
  );
  const chosen = useQuery({
    ...read('documents', 'get', { params: { id: document ?? '' } }),
    enabled: document !== undefined,
    retry: false,
  });
  const found = documents.data?.documents ?? [];
  const kept = chosen.data;
  // The chosen one stays, whatever the search finds.
  const isApart = kept !== undefined && !found.some(({ id }) => id === kept.id);
  const shown = isApart ? [kept, ...found] : found;
  const target = (shown.find(({ id }) => id === document) ?? shown[0])?.id ?? '';
  const fields = (
    <>
      {documents.error !== null && <Failure error={documents.error} />}
      <TextField
        label={words.testFind}
        type="search"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <SelectField
        label={words.testDocument}
        value={target}
        onChange={({ currentTarget: { value } }) =>
          navigate({ search: (old) => ({ ...old, document: value }), replace: true })
        }
      >
        {shown.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title ?? one.filename ?? one.id}
          </option>
        ))}
      </SelectField>
      {documents.isSuccess && shown.length === 0 && <p className="text-muted">{words.testNoDocuments}</p>}
    </>
  );
  return { target, fields };
}
