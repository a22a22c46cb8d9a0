import { Button, FileButton, Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../../components/page/blocks.tsx';
import { sendFile } from '../../lib/data/send-file.ts';
import { isSignedOut, withSession } from '../../lib/data/signing-in.ts';
import { t } from '../../lib/words/words.ts';
import classes from './files.module.css';
import { fileKeys } from './queries.ts';

interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  readonly problem?: string;
  readonly stop: AbortController;
}

let uploads = 0;
const atOnce = 3;

/** Uploads files, a few at a time, and warns before leaving the page too early. */
function useUploads(appId: string) {
  const [list, setList] = useState<readonly Upload[]>([]);
  const queue = useRef<{ readonly upload: Upload; readonly file: File }[]>([]);
  const running = useRef(0);
  const queries = useQueryClient();
  const isBusy = list.some(({ state }) => state === 'waiting' || state === 'sending');
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isBusy]);
  const change = (id: number, part: Partial<Upload>) =>
    setList((known) => known.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));

  async function work(): Promise<void> {
    running.current++;
    for (let next = queue.current.shift(); next; next = queue.current.shift()) {
      const { upload, file } = next;
      if (upload.stop.signal.aborted) continue;
      change(upload.id, { state: 'sending' });
      try {
        const { signal } = upload.stop;
        await withSession(() => sendFile(appId, file, { signal, onProgress: (part) => change(upload.id, { part }) }));
        change(upload.id, { state: 'done', part: 1 });
        await Promise.all(fileKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
      } catch (error) {
        // Whoever does not sign in again is not asked for each of the others.
        const others = isSignedOut(error) ? queue.current.splice(0) : [];
        for (const { id } of [upload, ...others.map(({ upload }) => upload)])
          change(id, { state: 'failed', problem: (error as Error).message });
      }
    }
    running.current--;
  }

  function add(files: readonly File[]) {
    const added = files.map((file) => ({
      file,
      upload: { id: ++uploads, name: file.name, part: 0, state: 'waiting' as const, stop: new AbortController() },
    }));
    setList((known) => [...known.filter(({ state }) => state !== 'done'), ...added.map(({ upload }) => upload)]);
    queue.current.push(...added);
    while (running.current < Math.min(atOnce, queue.current.length + running.current)) void work();
  }

  function cancel(upload: Upload) {
    upload.stop.abort();
    if (upload.state === 'waiting') change(upload.id, { state: 'failed', problem: t('Cancelled.') });
  }

  const forget = (id: number) => setList((known) => known.filter((upload) => upload.id !== id));
  return { list, add, cancel, forget };
}

/** Uploads dropped or chosen files. A rejected file shows why; the others continue. */
export function UploadZone({ appId }: { readonly appId: string }) {
  const { list, add, cancel, forget } = useUploads(appId);
  const [isOver, setOver] = useState(false);

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    add([...event.dataTransfer.files]);
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for the keyboard */}
      <div
        className={isOver ? `${classes.drop} ${classes.over}` : classes.drop}
        data-testid="drop"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <span>{t('Drop files here, or')}</span>
        <FileButton multiple onChange={add}>
          {(props) => (
            <Button {...props} leftSection={<Icon name="upload" size={16} />}>
              {t('Choose files')}
            </Button>
          )}
        </FileButton>
      </div>
      {list.length > 0 && (
        <ul className={classes.uploads} aria-label={t('Uploads')}>
          {list.map((upload) => (
            <UploadLine
              key={upload.id}
              upload={upload}
              onCancel={() => cancel(upload)}
              onForget={() => forget(upload.id)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface LineProps {
  readonly upload: Upload;
  readonly onCancel: () => void;
  readonly onForget: () => void;
}

function UploadLine({ upload, onCancel, onForget }: LineProps) {
  const { name, part, state, problem } = upload;
  const isOver = state === 'done' || state === 'failed';
  return (
    <li>
      <span>{name}</span>
      {problem ? (
        <Text c="red" role="alert">
          {problem}
        </Text>
      ) : (
        <Progress
          value={100 * part}
          color={state === 'done' ? 'teal' : 'blue'}
          aria-label={t('Upload of {name}', { name })}
        />
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        aria-label={t('{isOver, select, true {Hide} other {Cancel}} {name}', { isOver, name })}
        onClick={isOver ? onForget : onCancel}
      >
        {isOver ? t('Hide') : t('Cancel')}
      </Button>
    </li>
  );
}
