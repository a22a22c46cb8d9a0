import { EnableSwitch } from '../../../components/form/enable-switch.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import type { Report } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';
import { reportsKey } from './queries.ts';
import { titleOf } from './words.ts';

interface Props {
  readonly appId: string;
  readonly report: Report;
  /** Beside it. */
  readonly text?: string;
}

export function ReportSwitch({ appId, report, text }: Props) {
  const mayWrite = useMay()('reports.write');
  const name = titleOf(report);
  return (
    <EnableSwitch
      label={t('The report about {name} is switched on', { name })}
      name={name}
      {...(text ? { text } : {})}
      isOn={report.isOn}
      isLocked={!mayWrite}
      onChange={(isOn) =>
        call('changeReport', { params: { appId, reportId: report.reportId }, body: { isOn } as never })
      }
      refresh={[reportsKey(appId)]}
    />
  );
}
