import { Button, Group, Modal, NumberInput, Text, UnstyledButton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useFocusBack } from '../../../../components/dialogs/use-focus-back.ts';
import { FailureNote } from '../../../../components/page/blocks.tsx';
import { useAction } from '../../../../lib/actions/use-action.ts';
import { t } from '../../../../lib/words/words.ts';
import classes from './pdf.module.css';
import type { Pdf } from './read-pdf.ts';
import { pictureOfPage } from './read-pdf.ts';

interface Props {
  readonly pdf: Pdf;
  /** Stores the picture of the page. @throws Error */
  readonly onPick: (picture: File) => Promise<unknown>;
  readonly onClose: () => void;
}

const atOnce = 12;
/** Pixels of the longer side. */
const previewSide = 360;

/** The pages of a document as small pictures, one of which becomes the plan. */
export function PdfPages({ pdf, onPick, onClose }: Props) {
  useFocusBack();
  const [first, setFirst] = useState(1);
  const [picked, setPicked] = useState<number>();
  const pick = useAction({
    run: async (page: number) => onPick(await pictureOfPage(pdf, page)),
    after: onClose,
    showsError: true,
  });
  const last = Math.min(pdf.pages, first + atOnce - 1);
  const pages = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return (
    <Modal opened onClose={onClose} size="xl" title={t('Which page is the plan?')}>
      <FailureNote message={pick.error?.message} />
      <Text c="dimmed">
        {t(
          '{name} has {pages, plural, one {# page} other {# pages}}. It stays on this device; the page that you choose is uploaded as a picture. If something is missing from a page here, save it as a picture instead.',
          {
            name: pdf.name,
            pages: pdf.pages,
          },
        )}
      </Text>
      <ul className={classes.pages} aria-busy={pick.isPending}>
        {pages.map((page) => (
          <li key={page}>
            <UnstyledButton
              className={classes.page}
              data-disabled={pick.isPending}
              data-autofocus={page === first || undefined}
              onClick={() => {
                setPicked(page);
                pick.mutate(page);
              }}
            >
              <Preview pdf={pdf} page={page} />
              <span>{pick.isPending && picked === page ? t('Drawing the page …') : t('Page {page}', { page })}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {pdf.pages > atOnce && <Turn pdf={pdf} first={first} last={last} onTurn={setFirst} />}
    </Modal>
  );
}

interface TurnProps {
  readonly pdf: Pdf;
  readonly first: number;
  readonly last: number;
  readonly onTurn: (first: number) => void;
}

function Turn({ pdf, first, last, onTurn }: TurnProps) {
  return (
    <Group gap="xs" align="flex-end">
      <Button disabled={first === 1} onClick={() => onTurn(Math.max(1, first - atOnce))}>
        {t('Earlier pages')}
      </Button>
      <Button disabled={last === pdf.pages} onClick={() => onTurn(first + atOnce)}>
        {t('Later pages')}
      </Button>
      <NumberInput
        label={t('Show from page')}
        min={1}
        max={pdf.pages}
        clampBehavior="strict"
        allowDecimal={false}
        hideControls
        value={first}
        onChange={(page) => typeof page === 'number' && page >= 1 && onTurn(page)}
      />
    </Group>
  );
}

/** One after the other, so that the first ones are seen soon. */
let turn: Promise<unknown> = Promise.resolve();

function Preview({ pdf, page }: { readonly pdf: Pdf; readonly page: number }) {
  const frame = useRef<HTMLSpanElement>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isLeft = false;
    turn = turn.then(async () => {
      if (isLeft) return;
      try {
        const canvas = await pdf.draw(page, previewSide);
        if (!isLeft) frame.current?.replaceChildren(canvas);
      } catch (error) {
        if (!isLeft) setProblem((error as Error).message);
      }
    });
    return () => {
      isLeft = true;
    };
  }, [pdf, page]);
  return (
    <span ref={frame} className={classes.preview}>
      {problem}
    </span>
  );
}
