import { documentTypes } from './file-types.ts';
import { toastError } from '../parts/toast.tsx';
import { bytes } from '../text/format.ts';
import { shell } from '../text/shell.ts';
import { useSession } from './session.ts';
import { addUploads } from './uploads.ts';

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return found;
    for (const inner of batch) found.push(...(await filesIn(inner)));
  }
}

/** Files of a drop, also those in folders. */
export async function dropped(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...data.files];
  return (await Promise.all(entries.map(filesIn))).flat();
}

/** Returns the function that uploads files into a project. It refuses at once what the server would refuse. */
export function useAddFiles() {
  const { limits } = useSession();
  return (
    files: readonly File[],
    to: { readonly projectId: string; readonly workflowId?: string | undefined },
  ): void => {
    const fits = files.filter((file) => {
      const isKnown = documentTypes.some((type) => type === file.type);
      if (!isKnown) toastError(shell.uploadWrongType(file.name));
      else if (file.size > limits.uploadMaxBytes)
        toastError(shell.uploadTooLarge(file.name, bytes(limits.uploadMaxBytes)));
      return isKnown && file.size <= limits.uploadMaxBytes;
    });
    addUploads(fits, to);
  };
}
