"""Sets up the database of the tests' Tryton: two companies, a minimal chart with codes, fiscal years with their periods, parties and
users. Run as `set-up.py CONFIGURATION DATABASE PASSWORD [YEAR...]`; prints what the tests need to know as JSON. Without years, the
fiscal year is 2026, and a period and a journal are closed."""
import datetime
import json
import sys
from decimal import Decimal

configuration, database, password, *given = sys.argv[1:]
numbers = [int(year) for year in given] or [2026]

from trytond.config import config  # noqa: E402

config.update_etc(configuration)

from trytond.pool import Pool  # noqa: E402
from trytond.transaction import Transaction  # noqa: E402

CODES = {
    'Main Receivable': '1400', 'Main Payable': '1600', 'Main Cash': '1000', 'Main Revenue': '4000',
    'Main Expense': '5000', 'Main Tax': '1700'}


def make_company(pool, name, currency):
    Company, Party = pool.get('company.company'), pool.get('party.party')
    party, = Party.create([{'name': name}])
    company, = Company.create([{'party': party.id, 'currency': currency.id}])
    return company


def give_chart(pool, company):
    Account, Template = pool.get('account.account'), pool.get('account.account.template')
    CreateChart = pool.get('account.create_chart', type='wizard')
    template = Template(pool.get('ir.model.data').get_id('account', 'account_template_root_en'))
    session, _, _ = CreateChart.create()
    wizard = CreateChart(session)
    wizard.account.account_template = template
    wizard.account.company = company
    wizard.transition_create_account()
    for account in Account.search([('company', '=', company.id)]):
        if account.name in CODES:
            account.code = CODES[account.name]
            account.save()
    cash, = Account.search([('company', '=', company.id), ('code', '=', CODES['Main Cash'])])
    Account.create([{
        'name': 'Retention', 'code': '1450', 'company': company.id, 'parent': cash.parent.id, 'type': cash.type.id}])


def give_year(pool, company, year):
    FiscalYear, Sequence = pool.get('account.fiscalyear'), pool.get('ir.sequence')
    kind, = pool.get('ir.sequence.type').search([('name', '=', 'Account Move')])
    sequence, = Sequence.create([{'name': str(year), 'sequence_type': kind.id, 'company': company.id}])
    fiscalyear, = FiscalYear.create([{
        'name': str(year), 'company': company.id, 'post_move_sequence': sequence.id,
        'start_date': datetime.date(year, 1, 1), 'end_date': datetime.date(year, 12, 31)}])
    FiscalYear.create_period([fiscalyear])
    return fiscalyear


def close_some(pool, year):
    Period = pool.get('account.period')
    january, = Period.search([
        ('fiscalyear', '=', year.id), ('start_date', '=', datetime.date(2026, 1, 1))])
    Period.close([january])
    february, = Period.search([
        ('fiscalyear', '=', year.id), ('start_date', '=', datetime.date(2026, 2, 1))])
    stock, = pool.get('account.journal').search([('code', '=', 'STO')])
    JournalPeriod = pool.get('account.journal.period')
    JournalPeriod.close(JournalPeriod.create([{'journal': stock.id, 'period': february.id}]))


def main():
    Pool.start()
    pool = Pool(database)
    with Transaction().start(database, 1):
        pool.init()
    with Transaction().start(database, 1) as transaction:
        Currency, User = pool.get('currency.currency'), pool.get('res.user')
        Group, Data = pool.get('res.group'), pool.get('ir.model.data')
        euro, yen = Currency.create([
            {'name': 'Euro', 'symbol': '€', 'code': 'EUR', 'digits': 2, 'rounding': Decimal('0.01')},
            {'name': 'Yen', 'symbol': '¥', 'code': 'JPY', 'digits': 0, 'rounding': Decimal('1')}])
        north, south = make_company(pool, 'North Ltd', euro), make_company(pool, 'South KK', yen)
        pool.get('party.party').create([{'name': 'City of Springfield'}])
        years = {}
        for company in (north, south):
            User.write([User(1)], {'companies': [('add', [company.id])], 'company': company.id})
            with transaction.set_context(company=company.id):
                give_chart(pool, company)
                years[company.id] = [give_year(pool, company, number) for number in numbers]
        User.write([User(1)], {'company': north.id})
        if not given:
            close_some(pool, years[north.id][0])
        accounting = Data.get_id('account', 'group_account')
        for login, companies, groups in (
                ('siteledger', [north], [accounting]), ('south', [south], [accounting]), ('guest', [north], [])):
            User.create([{
                'name': login, 'login': login, 'password': password, 'groups': [('add', groups)],
                'companies': [('add', [c.id for c in companies])], 'company': companies[0].id}])
        print(json.dumps({'company': north.id, 'fiscalyears': [year.id for year in years[north.id]]}))


main()
